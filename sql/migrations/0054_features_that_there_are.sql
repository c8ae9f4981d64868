-- A weight under a misspelt name weighed nothing, and was taken without a word: it goes, and from now on it is refused. What is stored of the
-- others does not change by that: sqlite.org/lang_altertable.html, 7.
delete from weights where feature not in (
    'lexical', 'cosine', 'window', 'both', 'actor', 'is_question', 'length', 'has_number', 'is_reaction', 'outdated', 'has_time', 'date',
    'type_weight', 'decay', 'recency', 'access_bonus', 'importance', 'confidence', 'frequency', 'source_reliability', 'linked', 'position',
    'knowledge_update', 'match', 'goal', 'emotion', 'intrinsic_importance', 'agreement', 'sure_confidence', 'sure_match', 'sure_agreement',
    'sure_source_reliability', 'by_confidence', 'near', 'top', 'bm25_body', 'bm25_reply', 'bm25_context', 'bm25_date', 'k_lex', 'k_vec',
    'legs', 'bias', 'coverage', 'rival', 'relevance', 'margin', 'threshold');

pragma writable_schema = on;
update sqlite_schema
set sql = replace(sql, 'feature text not null,', 'feature text not null check (feature in (
    ''lexical'', ''cosine'', ''window'', ''both'', ''actor'', ''is_question'', ''length'', ''has_number'', ''is_reaction'', ''outdated'', ''has_time'', ''date'',
    ''type_weight'', ''decay'', ''recency'', ''access_bonus'', ''importance'', ''confidence'', ''frequency'', ''source_reliability'', ''linked'', ''position'',
    ''knowledge_update'', ''match'', ''goal'', ''emotion'', ''intrinsic_importance'', ''agreement'', ''sure_confidence'', ''sure_match'', ''sure_agreement'',
    ''sure_source_reliability'', ''by_confidence'', ''near'', ''top'', ''bm25_body'', ''bm25_reply'', ''bm25_context'', ''bm25_date'', ''k_lex'', ''k_vec'',
    ''legs'', ''bias'', ''coverage'', ''rival'', ''relevance'', ''margin'', ''threshold'')),')
where type = 'table' and name = 'weights';
pragma writable_schema = off;
