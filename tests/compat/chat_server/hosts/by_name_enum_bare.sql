CREATE TYPE agent_tool_type AS ENUM ('FileManagementToolkit', 'CRUDTool', 'GmailTool');
CREATE TABLE agent_tools (
  agent_id uuid NOT NULL REFERENCES agent_configurations (id) ON DELETE CASCADE,
  tool_name text NOT NULL,
  type agent_tool_type NOT NULL,
  tool_config jsonb NOT NULL,
  is_active boolean NOT NULL,
  "order" integer NOT NULL
);
ALTER TABLE agent_tools ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages links" ON agent_tools TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON agent_tools TO service_role, authenticated;
INSERT INTO agent_tools (agent_id, tool_name, type, tool_config, is_active, "order")
  SELECT id, 'mail', 'GmailTool'::agent_tool_type, '{}'::jsonb, true, 4 FROM agent_configurations
  WHERE agent_name = 'assistant';
