import { audit, lockOrganizationFor } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import type { OrganizationRef } from '@tributary/http'
import type { Actor } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'

/** Replaces the logo by the stored picture with this key. An empty key removes the logo. */
export const replaceLogo = async (
  { db, images }: Pick<ControlDeps, 'db'> & { images: Images },
  { actor, organization }: { actor: Actor; organization: OrganizationRef },
  key: string,
): Promise<void> => {
  const { id: organizationId } = organization
  await images.replace(key, () =>
    db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const { logo } = await tx
        .selectFrom('organizations')
        .select('logo')
        .where('id', '=', organizationId)
        .executeTakeFirstOrThrow()
      await tx.updateTable('organizations').set({ logo: key }).where('id', '=', organizationId).execute()
      await audit(tx, resourceNames.organization.format({ organization: organizationId }))
      return { before: logo, result: undefined }
    }),
  )
}
