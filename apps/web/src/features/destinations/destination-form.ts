import { destinationTitle, type SettingOption, type SettingValue } from '@tributary/contract'
import { z } from 'zod'
import { isShown, settingProblem } from '../../lib/settings/setting-values.ts'

const value = z.union([z.string(), z.number(), z.boolean(), z.record(z.string(), z.string()), z.null()])

/** The rules of a new destination: its title, and each setting by its option. */
export const destinationForm = (options: readonly SettingOption[]) =>
  z
    .object({
      title: destinationTitle,
      settings: z.record(z.string(), value),
      sources: z.array(z.string()),
    })
    .superRefine((values, context) => {
      for (const option of options.filter((each) => isShown(each, values.settings))) {
        const message = settingProblem(option, values.settings[option.name])
        if (message !== undefined) context.addIssue({ code: 'custom', path: ['settings', option.name], message })
      }
    })

export type DestinationForm = { title: string; settings: Record<string, SettingValue>; sources: string[] }
