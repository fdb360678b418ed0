import { audit, lockOrganizationFor } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import type { OrganizationRef } from '@tributary/http'
import type { Actor } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'

/** Puts a stored picture, or none for an empty key, in the place of the logo. */
export const replaceLogo = async (
  { db, clock, images }: Pick<ControlDeps, 'db' | 'clock'> & { images: Images },
  change: { actor: Actor; organization: OrganizationRef; action: string; key: string },
): Promise<void> => {
  const { actor, organization, action, key } = change
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
      await audit(tx, {
        actor,
        action,
        resource: resourceNames.organization.format({ organization: organizationId }),
        organizationId,
        workspaceId: null,
        time: new Date(clock()),
      })
      return { before: logo, result: undefined }
    }),
  )
}
