import type { Db } from '@tributary/api-kit'

/**
 * Reads the maximum amount that an organization pays for additional profiles in a period; undefined if it has no cap.
 */
export const readCap = async (
  db: Db,
  organizationId: string,
): Promise<{ amount: number; currency: string } | undefined> => {
  const row = await db
    .selectFrom('overage_caps')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row === undefined ? undefined : { amount: Number(row.amount), currency: row.currency }
}
