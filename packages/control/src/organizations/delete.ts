import { audit, deleteNotificationsOfOrganization, lockOrganizationFor, type Tx } from '@tributary/api-kit'
import { type BillingDeps, finishOpen, insertOperation, type Operation, revokeOnboardingsOf } from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, newId } from '@tributary/kernel'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import { closeWorkspaces } from '../workspaces/close.ts'

/**
 * Removes all memberships, invitations, links, and API keys of an organization. Resolves to the IDs of the former
 * members.
 */
const endAccess = async (tx: Tx, organizationId: string, time: Date): Promise<string[]> => {
  const members = await tx
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .returning('user_id')
    .execute()
  for (const table of ['invitations', 'invitation_links', 'api_keys'] as const)
    await tx.deleteFrom(table).where('organization_id', '=', organizationId).execute()
  await deleteNotificationsOfOrganization(tx, organizationId)
  await tx.deleteFrom('former_members').where('organization_id', '=', organizationId).execute()
  await revokeOnboardingsOf(tx, 'organization_id', organizationId, time)
  return members.map(({ user_id }) => user_id)
}

/**
 * Stores an operation that ends the subscription. Every process that executes it, at any time, uses the same operation
 * ID.
 */
const endSubscription = async (
  tx: Tx,
  { organizationId, userId, time }: { organizationId: string; userId: string; time: Date },
): Promise<void> => {
  const operation: Operation = { change: { kind: 'end' }, action: 'subscriptions.cancel' }
  await insertOperation(
    tx,
    { id: newId(), request: JSON.stringify(operation), actor: userId },
    { organizationId, time },
  )
}

const changing = () =>
  conflict('BUSY', 'The subscription of this organization is being changed. Try again in a minute.')

/**
 * Deletes an organization. From then on, it is not found, nothing is received or sent for it, and its subscription
 * ends. Its data is removed in the background. The caller repeats the title, to confirm which organization is deleted.
 * A pending change of the plan is completed before, or the call is refused. Otherwise, that change could create a
 * subscription without an owner.
 */
export const deleteOrganization =
  (
    deps: BillingDeps & Pick<ControlDeps, 'logger'> & { accessChanged: AccessChanged; keysChanged: () => void },
  ): Handler<typeof methods.organizations.delete> =>
  async ({ actor, organization, body }) => {
    const { db, clock, payment, logger, accessChanged, keysChanged } = deps
    const { id } = organization
    if (payment !== undefined) await finishOpen(deps, id)
    const members = await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const { title } = await tx
        .selectFrom('organizations')
        .select('title')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      if (body.title !== title) {
        const text = 'Enter the name of the organization'
        throw badRequest('VALIDATION', `title: ${text}`, { title: text })
      }
      const open = await tx
        .selectFrom('payment_operations')
        .select('id')
        .where('organization_id', '=', id)
        .where('done_time', 'is', null)
        .executeTakeFirst()
      if (open !== undefined) throw changing()
      const time = new Date(clock())
      const workspaces = await tx
        .selectFrom('workspaces')
        .select(['id', 'title'])
        .where('organization_id', '=', id)
        .where('delete_time', 'is', null)
        .orderBy('create_time')
        .execute()
      await closeWorkspaces(
        tx,
        workspaces.map((each) => each.id),
        time,
      )
      const ended = await endAccess(tx, id, time)
      if (payment !== undefined) await endSubscription(tx, { organizationId: id, userId: actor.userId, time })
      await tx
        .updateTable('organizations')
        .set({ delete_time: time, remove_time: time, logo: '', auto_join_domain: '' })
        .where('id', '=', id)
        .execute()
      await audit(tx, resourceNames.organization.format({ organization: id }), {
        title,
        workspaces: workspaces.map((each) => each.title),
        members: ended.length,
      })
      return ended
    })
    keysChanged()
    for (const userId of members) accessChanged(userId)
    if (payment !== undefined)
      try {
        await finishOpen(deps, id)
      } catch (error) {
        // The end of the subscription is stored, and takes effect once the provider can be reached.
        logger.warn({ id, err: error }, 'the subscription of a deleted organization could not be ended yet')
      }
    return {}
  }
