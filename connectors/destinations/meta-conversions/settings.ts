import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { checkDefaults } from '../../wire/conversions/default-settings.ts'
import { pixelSettings } from '../../wire/conversions/pixel-settings.ts'

export const settings = defineSettings({
  pixel_id: setting.text({
    label: 'Pixel ID',
    help: 'The ID of the pixel or dataset in the Events Manager.',
    required: true,
    maxLength: 50,
  }),
  ...pixelSettings({ platform: 'Meta', api: 'Conversions API', limit: 'Limited Data Use' }),
})

export type MetaConversionsSettings = SettingsOf<typeof settings>

/** Checks rules that span several settings. */
export const check = ({ pixel_id, ...others }: Partial<MetaConversionsSettings>): Record<string, string> => ({
  ...(pixel_id === undefined || /^[0-9]{5,30}$/.test(pixel_id.trim())
    ? {}
    : { pixel_id: 'Enter the number of the pixel, such as 123456789012345' }),
  ...checkDefaults(others),
})
