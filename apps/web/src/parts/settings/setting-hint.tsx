import type { SettingOption } from '@tributary/contract'
import type { ReactNode } from 'react'
import { settingHint } from '../../lib/settings/setting-values.ts'
import { Markup } from '../../ui/code/markup.tsx'

/** What is shown below a setting, or undefined when there is nothing to say. */
export const shownHint = (option: SettingOption): ReactNode | undefined => {
  const text = settingHint(option)
  return text === undefined ? undefined : <Markup text={text} />
}
