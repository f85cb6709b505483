CREATE TYPE agent_tool_type AS ENUM ('FileManagementToolkit', 'CRUDTool', 'GmailTool');
CREATE TABLE agent_tools (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_id uuid REFERENCES agent_configurations (id) ON DELETE CASCADE,
  tool_name text NOT NULL,
  type agent_tool_type NOT NULL,
  tool_config jsonb NOT NULL,
  is_active boolean DEFAULT true,
  "order" int DEFAULT 0,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX idx_agent_tools_active_order ON agent_tools (agent_id, is_active, "order");
ALTER TABLE agent_tools ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages links" ON agent_tools TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON agent_tools TO service_role, authenticated;
INSERT INTO agent_tools (agent_id, tool_name, type, tool_config, "order")
  SELECT id, 'crud', 'CRUDTool'::agent_tool_type, '{}'::jsonb, 41 FROM agent_configurations
  WHERE agent_name = 'test_agent' UNION ALL
  SELECT id, 'mail', 'GmailTool', '{}', 4 FROM agent_configurations
  WHERE agent_name = 'assistant';
