import {
  audit,
  idFor,
  insertWorkspaceOnce,
  lockOrganizationFor,
  parseReference,
  requireOrganization,
} from '@tributary/api-kit'
import { withinPlan } from '@tributary/billing'
import { administrators, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readWorkspace } from './get.ts'

/** Makes another workspace in an organization. Administrators of the organization only. */
export const createWorkspace =
  (deps: Pick<ControlDeps, 'db' | 'billing' | 'clock'>): Handler<typeof methods.workspaces.create> =>
  async ({ actor, body }) => {
    const { db, clock } = deps
    const named = parseReference(resourceNames.organization, 'organization', body.organization)
    const organization = await requireOrganization(db, actor, named.organization, administrators)
    const { id: organizationId } = organization
    const id = idFor(body.request_id, 'workspaces', organizationId)
    const create_time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const made = await insertWorkspaceOnce(tx, {
        id,
        organization_id: organizationId,
        title: body.title,
        create_time,
      })
      if (!made) return
      await withinPlan(tx, deps, organizationId, 'workspaces')
      await audit(
        tx,
        resourceNames.workspace.format({ workspace: id }),
        { title: body.title },
        { organizationId, workspaceId: id },
      )
    })
    return await readWorkspace(db, id)
  }
