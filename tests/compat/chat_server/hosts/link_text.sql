ALTER TABLE tools ADD COLUMN approval_tier varchar(50);
ALTER TABLE agent_tools ADD COLUMN status varchar(20) DEFAULT 'granted';
ALTER TABLE tools ALTER COLUMN type TYPE text;
UPDATE tools SET approval_tier = 'user_configurable' WHERE name = 'fetch_tasks';
CREATE TABLE user_tool_preferences (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  tool_name text NOT NULL,
  approval_tier text NOT NULL CHECK (approval_tier IN ('auto', 'requires_approval')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (user_id, tool_name)
);
ALTER TABLE user_tool_preferences ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages preferences" ON user_tool_preferences FOR ALL WITH CHECK (true);
GRANT ALL ON user_tool_preferences TO service_role, authenticated;
