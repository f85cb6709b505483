CREATE TABLE agent_tools (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_id uuid REFERENCES agent_configurations (id) ON DELETE CASCADE,
  tool_name text NOT NULL,
  tool_type text NOT NULL,
  tool_config jsonb,
  is_active boolean DEFAULT true,
  "order" int DEFAULT 0,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE INDEX idx_agent_tools_agent_id ON agent_tools (agent_id);
CREATE INDEX idx_agent_tools_active_order ON agent_tools (agent_id, is_active, "order");
ALTER TABLE agent_tools ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages links" ON agent_tools TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON agent_tools TO service_role, authenticated;
INSERT INTO agent_tools (agent_id, tool_name, tool_type, tool_config, "order")
  SELECT id, 'create_reminder', 'CreateReminderTool', '{}'::jsonb, 41 FROM agent_configurations
  WHERE agent_name = 'test_agent' UNION ALL
  SELECT id, 'create_reminder', 'CreateReminderTool', '{"limit": 3}', 4 FROM agent_configurations
  WHERE agent_name = 'assistant';
