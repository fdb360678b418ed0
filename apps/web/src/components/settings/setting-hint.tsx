import type { SettingOption } from '@tributary/contract'
import type { ReactNode } from 'react'
import { settingHint } from '../../lib/settings/setting-values.ts'
import { Markup } from '../../ui/code/markup.tsx'

/** Returns the hint below a setting. Returns undefined if the setting has no hint. */
export const shownHint = (option: SettingOption): ReactNode | undefined => {
  const text = settingHint(option)
  return text === undefined ? undefined : <Markup text={text} />
}
