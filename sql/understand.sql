-- Who speaks in a user's messages: one look into the index for each, however many messages there are.
-- statement: participants
with recursive voice (speaker) as (
  select (select min(f.speaker) from facts f where f.user_id = :user_id and f.kind = 'message')
  union all
  select (select min(f.speaker) from facts f where f.user_id = :user_id and f.kind = 'message' and f.speaker > v.speaker)
  from voice v
  where v.speaker is not null
  limit 200)
select speaker from voice where speaker is not null;
