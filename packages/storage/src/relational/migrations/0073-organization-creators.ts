import { type QueryExecutorProvider, sql } from 'kysely'

/** Who began an organization: how many on the free plan one person can begin is limited where plans limit. */
export const up = async (db: QueryExecutorProvider): Promise<void> => {
  await sql`
alter table organizations add column creator_id uuid;
update organizations o set creator_id = a.actor_id
from audit_log a where a.organization_id = o.id and a.action = 'organizations.create';
create index organizations_creator on organizations (creator_id) where creator_id is not null;
`.execute(db)
}
