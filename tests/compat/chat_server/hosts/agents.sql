-- The roles of Supabase, the agents, and what every host has beside them.
DO $$ BEGIN
  CREATE ROLE service_role LOGIN BYPASSRLS;
  CREATE ROLE authenticated LOGIN;
EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT USAGE ON SCHEMA public TO service_role, authenticated;

CREATE FUNCTION update_updated_at_column() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN NEW.updated_at := now(); RETURN NEW; END $$;

CREATE TABLE agent_configurations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent_name text NOT NULL UNIQUE,
  llm_config jsonb NOT NULL,
  system_prompt text NOT NULL,
  created_at timestamptz DEFAULT now(),
  updated_at timestamptz DEFAULT now()
);
ALTER TABLE agent_configurations ENABLE ROW LEVEL SECURITY;
CREATE POLICY "service_role manages agents" ON agent_configurations TO service_role
  USING (true) WITH CHECK (true);
GRANT ALL ON agent_configurations TO service_role, authenticated;
INSERT INTO agent_configurations (agent_name, llm_config, system_prompt) VALUES
  ('test_agent', '{"model": "small"}', 'You are tested.'),
  ('assistant', '{"model": "large"}', 'You assist.');

-- A table that has nothing to do with it.
CREATE TABLE notes (id serial PRIMARY KEY, body text NOT NULL);
INSERT INTO notes (body) VALUES ('buy milk'), ('feed the otter');
