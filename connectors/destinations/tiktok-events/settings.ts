import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { pixelSettings } from '../../wire/conversions/pixel-settings.ts'

export const settings = defineSettings({
  pixel_code: setting.text({
    label: 'Pixel ID',
    help: 'Of the data connection in the Events Manager.',
    required: true,
    maxLength: 50,
  }),
  ...pixelSettings({ platform: 'TikTok', api: 'Events API', limit: 'Limited data use' }),
})

export type TikTokSettings = SettingsOf<typeof settings>

/** Checks rules that span several settings. */
export const check = ({ pixel_code }: Partial<TikTokSettings>): Record<string, string> =>
  pixel_code === undefined || /^[A-Za-z0-9]{5,40}$/.test(pixel_code.trim())
    ? {}
    : { pixel_code: 'Enter the ID of the pixel, such as C0123ABCD4567EFGH890' }
