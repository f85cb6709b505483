CREATE TYPE agent_tool_type AS ENUM
  ('FileManagementToolkit', 'CRUDTool', 'GmailTool', 'EmailDigestTool');
CREATE TABLE tools (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  type agent_tool_type NOT NULL,
  description text,
  config jsonb NOT NULL DEFAULT '{}',
  is_active boolean DEFAULT true,
  is_deleted boolean DEFAULT false,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
CREATE TABLE agent_tools (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_id uuid NOT NULL REFERENCES agent_configurations (id) ON DELETE CASCADE,
  tool_id uuid NOT NULL REFERENCES tools (id),
  config_override jsonb DEFAULT '{}',
  is_active boolean DEFAULT true,
  is_deleted boolean DEFAULT false,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
-- The table that the link table has replaced.
CREATE TABLE agent_tools_backup (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_id uuid REFERENCES agent_configurations (id) ON DELETE CASCADE,
  name text NOT NULL,
  type agent_tool_type NOT NULL,
  config jsonb NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX idx_agent_tools_unique_active ON agent_tools (agent_id, tool_id)
  WHERE is_deleted = false;
CREATE INDEX idx_agent_tools_tool_id ON agent_tools (tool_id) WHERE is_deleted = false;
CREATE INDEX idx_tools_name ON tools (name) WHERE is_deleted = false;
CREATE INDEX idx_tools_type ON tools (type) WHERE is_deleted = false;
CREATE TRIGGER update_tools_updated_at BEFORE UPDATE ON tools
  FOR EACH ROW EXECUTE FUNCTION update_updated_at_column();
CREATE TRIGGER update_agent_tools_updated_at BEFORE UPDATE ON agent_tools
  FOR EACH ROW EXECUTE FUNCTION update_updated_at_column();
COMMENT ON TABLE tools IS 'The tools that agents may have';
ALTER TABLE tools ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_tools ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages tools" ON tools TO service_role USING (true) WITH CHECK (true);
CREATE POLICY "service_role manages links" ON agent_tools TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON tools, agent_tools, agent_tools_backup TO service_role, authenticated;
INSERT INTO tools (name, type, description, config) VALUES
  ('gmail_search', 'GmailTool', 'Search mail.', '{"limit": 5}'),
  ('fetch_tasks', 'CRUDTool', 'Read tasks.', '{}');
INSERT INTO agent_tools (agent_id, tool_id)
  SELECT a.id, t.id FROM agent_configurations a, tools t;
INSERT INTO agent_tools_backup (agent_id, name, type, config)
  SELECT id, 'fetch_tasks', 'CRUDTool', '{}' FROM agent_configurations;
