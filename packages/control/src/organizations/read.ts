import type { Db } from '@tributary/api-kit'
import type { InvitationPreview, Organization } from '@tributary/contract'
import { presentOrganization } from './present.ts'
import { selectOrganizations } from './select.ts'

/** An organisation by id. Throws when it is absent. */
export const readOrganization = async (db: Db, id: string): Promise<Organization> =>
  presentOrganization(await selectOrganizations(db).where('organizations.id', '=', id).executeTakeFirstOrThrow())

/** The part of an organisation that a user sees before joining. Throws when it is absent. */
export const previewOrganization = async (db: Db, id: string): Promise<InvitationPreview['organization']> => {
  const { name, display_name, extra } = await readOrganization(db, id)
  return { name, display_name, logo: extra.logo }
}
