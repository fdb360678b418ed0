import { destinationTitle, type SettingOption, type SettingValue } from '@tributary/contract'
import { z } from 'zod'
import { checkSettings, formSettings } from '../../lib/settings/settings-rule.ts'

/** Returns the validation rules of a new destination: one for its title, and one for each of its settings. */
export const destinationForm = (options: readonly SettingOption[]) =>
  z
    .object({ title: destinationTitle, settings: formSettings, sources: z.array(z.string()) })
    .superRefine(checkSettings(options))

export type DestinationForm = { title: string; settings: Record<string, SettingValue>; sources: string[] }
