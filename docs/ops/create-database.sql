-- Creates the role and the database of Quotekeeper, once, as a superuser: psql -f create-database.sql. compose.cluster.yaml does it.
-- The password is read from the file of the secret, so that no process list shows it.
\set ON_ERROR_STOP on
\set password `cat /run/secrets/postgres_password`
select :'password' <> '' as found \gset
\if :found
\else
do $$ begin raise exception 'the file /run/secrets/postgres_password is empty or cannot be read'; end $$;
\endif
create role quotekeeper login password :'password';
create database quotekeeper owner quotekeeper encoding 'UTF8' template template0;
