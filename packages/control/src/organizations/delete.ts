import { audit, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, newId } from '@tributary/kernel'
import { type BillingDeps, finishOpen, type Operation } from '../billing/subscription.ts'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import { closeWorkspaces } from '../workspaces/close.ts'
import { lockOrganizationFor } from './lock.ts'

/** Ends every way in; resolves to the users who were members. */
const endAccess = async (tx: Tx, organizationId: string, time: Date): Promise<string[]> => {
  const members = await tx
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .returning('user_id')
    .execute()
  for (const table of ['invitations', 'invitation_links', 'api_keys', 'notifications', 'former_members'] as const)
    await tx.deleteFrom(table).where('organization_id', '=', organizationId).execute()
  // What was invoiced with one is taken back where it is not paid.
  await tx
    .updateTable('onboardings')
    .set({ revoke_time: time })
    .where('organization_id', '=', organizationId)
    .where('complete_time', 'is', null)
    .where('revoke_time', 'is', null)
    .execute()
  return members.map(({ user_id }) => user_id)
}

/** Writes down that the subscription is to end; whoever carries it out, and however often, asks for it under the same id. */
const endSubscription = async (
  tx: Tx,
  { organizationId, userId, time }: { organizationId: string; userId: string; time: Date },
): Promise<void> => {
  const operation: Operation = { change: { kind: 'end' }, action: 'subscriptions.cancel' }
  await tx
    .insertInto('payment_operations')
    .values({
      id: newId(),
      organization_id: organizationId,
      request: JSON.stringify(operation),
      actor: userId,
      create_time: time,
      done_time: null,
      outcome: null,
    })
    .execute()
}

const changing = () =>
  conflict('BUSY', 'The subscription of this organization is being changed. Try again in a minute.')

/**
 * Deletes an organization. At once nobody finds it, nothing is received or sent for it, and its subscription ends; what is stored of it goes in
 * the background. The title is asked for, so that it is the one that is meant. A change of the plan that is under way is
 * carried out before, or it is refused: it could end in a subscription of nobody.
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
      await audit(tx, {
        actor,
        action: 'organizations.delete',
        resource: resourceNames.organization.format({ organization: id }),
        organizationId: id,
        workspaceId: null,
        detail: { title, workspaces: workspaces.map((each) => each.title), members: ended.length },
        time,
      })
      return ended
    })
    keysChanged()
    for (const userId of members) accessChanged(userId)
    if (payment !== undefined)
      try {
        await finishOpen(deps, id)
      } catch (error) {
        // It is written down, and ends as soon as the provider can be reached.
        logger.warn({ id, err: error }, 'the subscription of a deleted organization could not be ended yet')
      }
    return {}
  }
