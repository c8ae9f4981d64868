-- For whoever looks at first-person memories in a shell: by type, and by what each counts now.
create index if not exists facts_narrative_type on facts (memory_type) where kind = 'narrative';
create index if not exists facts_narrative_importance on facts (effective_importance) where kind = 'narrative';
