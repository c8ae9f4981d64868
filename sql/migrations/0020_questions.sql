-- `default` holds it less against a message that it asks. Where somebody has weighed it otherwise, it stays as it is.
update weights set value = -0.275 where name = 'default' and feature = 'is_question' and value = -0.35;
