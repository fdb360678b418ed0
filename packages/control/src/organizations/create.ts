import { audit, idFor, insertWorkspace } from '@tributary/api-kit'
import { withinFreeOrganizations } from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newId, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { isMember } from '../memberships/join.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { presentOrganization, presentWorkspace } from './present.ts'
import { selectOrganizations } from './select.ts'

/**
 * Makes an organization with its first workspace and makes the caller its administrator. Every signed-in user may call
 * it. If the installation enforces plan limits, the number of calls is limited.
 */
export const createOrganization =
  (
    deps: Pick<ControlDeps, 'db' | 'clock' | 'billing'> & { sessions: Pick<Sessions, 'refresh'> },
  ): Handler<typeof methods.organizations.create> =>
  async ({ actor, body }) => {
    const { db, clock, sessions } = deps
    const id = idFor(body.request_id, 'organizations', actor.userId)
    const create_time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const made = await tx
        .insertInto('organizations')
        .values({ id, title: body.title, industry: body.industry, creator_id: actor.userId, create_time })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      if (made === undefined) {
        // The organization exists: this is a repeated request. The caller may have left it meanwhile.
        if (await isMember(tx, id, actor.userId)) return
        throw notFound('organization not found')
      }
      if (!actor.isPlatformAdmin) await withinFreeOrganizations(tx, deps, actor.userId)
      const workspaceId = newId()
      await insertWorkspace(tx, { id: workspaceId, organization_id: id, title: body.workspace_title, create_time })
      await tx
        .insertInto('memberships')
        .values({ id: newId(), organization_id: id, user_id: actor.userId, role: 'ORG_ADMIN', create_time })
        .execute()
      await audit(
        tx,
        resourceNames.organization.format({ organization: id }),
        { title: body.title, workspace_title: body.workspace_title },
        { organizationId: id, workspaceId },
      )
    })
    sessions.refresh()
    const organization = await selectOrganizations(db).where('organizations.id', '=', id).executeTakeFirstOrThrow()
    const workspace = await db
      .selectFrom('workspaces')
      .selectAll()
      .where('organization_id', '=', id)
      .where('delete_time', 'is', null)
      .orderBy('create_time')
      .orderBy('id')
      .limit(1)
      .executeTakeFirstOrThrow()
    return { organization: presentOrganization(organization), workspace: presentWorkspace(workspace, organization) }
  }
