import type { SettingOption } from '@tributary/contract'
import type { ReactNode } from 'react'
import { Markup } from '../../ui/markup.tsx'
import { settingHint } from './setting-values.ts'

/** What is shown below a setting, or undefined when there is nothing to say. */
export const shownHint = (option: SettingOption): ReactNode | undefined => {
  const text = settingHint(option)
  return text === undefined ? undefined : <Markup text={text} />
}
