-- Hooks and claims are routing of bots.
DROP TABLE hooks, bot_claims, bots;
DROP FUNCTION hooks_tell();
