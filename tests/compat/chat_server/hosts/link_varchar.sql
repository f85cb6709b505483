ALTER TABLE tools ALTER COLUMN type TYPE varchar(100) USING type::varchar(100);
ALTER TABLE agent_tools_backup ALTER COLUMN type TYPE varchar(100) USING type::varchar(100);
DROP TYPE agent_tool_type;
