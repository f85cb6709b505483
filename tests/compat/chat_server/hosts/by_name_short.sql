CREATE TYPE agent_tool_type AS ENUM ('FileManagementToolkit', 'CRUDTool', 'GmailTool');
CREATE TABLE agent_tools (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_id uuid REFERENCES agent_configurations (id) ON DELETE CASCADE,
  name text NOT NULL,
  type agent_tool_type NOT NULL,
  config jsonb NOT NULL,
  is_active boolean DEFAULT true,
  "order" integer DEFAULT 0,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now(),
  description text,
  is_deleted boolean NOT NULL DEFAULT false
);
ALTER TABLE agent_tools ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages links" ON agent_tools TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON agent_tools TO service_role, authenticated;
INSERT INTO agent_tools (agent_id, name, type, config, "order", is_deleted)
  SELECT id, 'crud', 'CRUDTool'::agent_tool_type, '{}'::jsonb, 4, false FROM agent_configurations
  UNION ALL
  SELECT id, 'mail', 'GmailTool', '{}', 2, true FROM agent_configurations
  WHERE agent_name = 'assistant';
