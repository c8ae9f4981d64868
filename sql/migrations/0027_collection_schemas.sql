-- A collection has a schema in the place of its configuration, in chromadb's own form: how its vectors are compared and embedded, as the
-- configuration said, and by which metadata and documents its records may be filtered: by all, as always.

alter table collections rename column configuration to schema;

with
-- what chromadb has for values of a type that nothing was said about
usual (type, indexes) as (
  values
    ('string', '{"fts_index": {"enabled": false, "config": {}}, "string_inverted_index": {"enabled": true, "config": {}}}'),
    ('int', '{"int_inverted_index": {"enabled": true, "config": {}}}'),
    ('float', '{"float_inverted_index": {"enabled": true, "config": {}}}'),
    ('bool', '{"bool_inverted_index": {"enabled": true, "config": {}}}')
),
compared (collection, config) as (
  select
    id,
    json_set(
      iif(json_extract(schema, '$.embedding_function') is null, '{}',
        json_object('embedding_function', json_extract(schema, '$.embedding_function'))),
      '$.space', json_extract(schema, '$.hnsw.space'),
      '$.hnsw', json(json_set(json_remove(json_extract(schema, '$.hnsw'), '$.space'), '$.batch_size', 100))
    )
  from collections
),
-- chromadb notes every key of metadata it meets, with the types of its values
met (collection, key, type) as (
  select distinct
    collection,
    key,
    case type when 'text' then 'string' when 'boolean' then 'bool' else iif(typeof(value) = 'integer', 'int', 'float') end
  from collection_metadata
  where substr(key, 1, 7) <> 'chroma:'
),
noted (collection, key, types) as (
  select collection, key, json_group_object(type, json(usual.indexes)) from met join usual using (type) group by collection, key
),
keys (collection, types) as (
  select collection, json_group_object(key, json(types)) from noted group by collection
)
update collections set schema = (
  select
    json_object(
      'defaults', json_set(
        (select json_group_object(type, json(indexes)) from usual),
        '$.float_list', json_object('vector_index', json_object('enabled', json('false'), 'config', json(config))),
        '$.sparse_vector',
        json('{"sparse_vector_index": {"enabled": false, "config": {"embedding_function": {"type": "unknown"}, "bm25": false}}}')
      ),
      'keys', json_patch(
        json_set(
          '{"#document": {"string": {"fts_index": {"enabled": true, "config": {}}, "string_inverted_index": {"enabled": false, "config": {}}}}}',
          '$."#embedding"',
          json_object('float_list', json_object(
            'vector_index', json_object('enabled', json('true'), 'config', json(json_set(config, '$.source_key', '#document')))))
        ),
        coalesce((select types from keys where keys.collection = collections.id), '{}')
      )
    )
  from compared
  where compared.collection = collections.id
);

-- The check is on the same distance, which stands elsewhere now: sqlite.org/lang_altertable.html, 7.
pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, '''$.hnsw.space''', '''$.keys."#embedding".float_list.vector_index.config.space''')
where type = 'table' and name = 'collections';
pragma writable_schema = off;
