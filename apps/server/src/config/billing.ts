import { readFile } from 'node:fs/promises'
import { defaultPlans, readPlanCatalogue } from '@tributary/billing'
import type { ControlDeps } from '@tributary/control'
import { type Config, ConfigurationError } from './config.ts'

/** The plans of this installation, read from the configured file. Throws ConfigurationError if it cannot be read. */
export const readBilling = async ({
  billing,
  retention,
}: Pick<Config, 'billing' | 'retention'>): Promise<ControlDeps['billing']> => {
  const { plansFile, ...rest } = billing
  const given = { ...rest, eventsDays: retention.eventsDays }
  if (plansFile === undefined) return { plans: defaultPlans, ...given }
  try {
    return { plans: readPlanCatalogue(await readFile(plansFile, 'utf8')), ...given }
  } catch (cause) {
    throw new ConfigurationError([`TRIBUTARY_PLANS_FILE: ${cause instanceof Error ? cause.message : String(cause)}`])
  }
}
