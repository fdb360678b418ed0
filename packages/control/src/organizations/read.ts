import type { Db } from '@tributary/api-kit'
import type { InvitationPreview, Organization } from '@tributary/contract'
import { presentOrganization } from './present.ts'
import { selectOrganizations } from './select.ts'

/** Reads an organization by its ID. Throws if it does not exist. */
export const readOrganization = async (db: Db, id: string): Promise<Organization> =>
  presentOrganization(await selectOrganizations(db).where('organizations.id', '=', id).executeTakeFirstOrThrow())

/** Reads the fields of an organization that a user sees before joining. Throws if it does not exist. */
export const previewOrganization = async (db: Db, id: string): Promise<InvitationPreview['organization']> => {
  const { name, display_name, extra } = await readOrganization(db, id)
  return { name, display_name, logo: extra.logo }
}
