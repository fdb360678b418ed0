import type { Tx } from '@tributary/api-kit'
import type { OnboardingsTable } from '@tributary/storage'
import type { Insertable } from 'kysely'

/** Inserts an onboarding. */
export const insertOnboarding = async (tx: Tx, values: Insertable<OnboardingsTable>): Promise<void> => {
  await tx.insertInto('onboardings').values(values).execute()
}

/** Marks an onboarding as completed at a time. */
export const markOnboardingComplete = async (tx: Tx, id: string, time: Date): Promise<void> => {
  await tx.updateTable('onboardings').set({ complete_time: time }).where('id', '=', id).execute()
}

/** Revokes an open onboarding. Resolves to the ID of its organization, or undefined if no such onboarding is open. */
export const revokeOpenOnboarding = async (tx: Tx, id: string, time: Date): Promise<string | undefined> =>
  (
    await tx
      .updateTable('onboardings')
      .set({ revoke_time: time })
      .where('id', '=', id)
      .where('complete_time', 'is', null)
      .where('revoke_time', 'is', null)
      .where('expire_time', '>', time)
      .returning(['organization_id'])
      .executeTakeFirst()
  )?.organization_id

/** Revokes the unfinished onboardings of a user or an organization. Their unpaid invoices are voided later. */
export const revokeOnboardingsOf = async (
  tx: Tx,
  column: 'user_id' | 'organization_id',
  id: string,
  time: Date,
): Promise<void> => {
  await tx
    .updateTable('onboardings')
    .set({ revoke_time: time })
    .where(column, '=', id)
    .where('complete_time', 'is', null)
    .where('revoke_time', 'is', null)
    .execute()
}
