import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { checkDefaults } from '../../wire/conversions/default-settings.ts'
import { pixelSettings } from '../../wire/conversions/pixel-settings.ts'

export const settings = defineSettings({
  pixel_code: setting.text({
    label: 'Pixel ID',
    help: 'Of the data connection in the Events Manager.',
    required: true,
    maxLength: 50,
  }),
  tiktok_app_id: setting.text({
    label: 'TikTok app ID',
    help: 'The ID of the app in the Events Manager, for events with the source app.',
    maxLength: 50,
  }),
  offline_event_set_id: setting.text({
    label: 'Offline event set',
    help: 'Its ID in the Events Manager, for events with the source offline, such as sales in stores.',
    maxLength: 50,
  }),
  crm_event_set_id: setting.text({
    label: 'CRM event set',
    help: 'Its ID in the Events Manager, for events with the source crm.',
    maxLength: 50,
  }),
  ...pixelSettings({ platform: 'TikTok', api: 'Events API', limit: 'Limited data use' }),
})

export type TikTokSettings = SettingsOf<typeof settings>

const idForm = /^[A-Za-z0-9]{5,40}$/

/** Checks rules that span several settings. */
export const check = ({
  pixel_code,
  tiktok_app_id,
  offline_event_set_id,
  crm_event_set_id,
  ...others
}: Partial<TikTokSettings>): Record<string, string> => {
  const isValid = (id: string | undefined): boolean => id === undefined || idForm.test(id.trim())
  return {
    ...(isValid(pixel_code) ? {} : { pixel_code: 'Enter the ID of the pixel, such as C0123ABCD4567EFGH890' }),
    ...(isValid(tiktok_app_id) ? {} : { tiktok_app_id: 'Enter the ID of the app, such as 7654321098765432108' }),
    ...(isValid(offline_event_set_id)
      ? {}
      : { offline_event_set_id: 'Enter the ID of the offline event set, such as 7654321098765432109' }),
    ...(isValid(crm_event_set_id)
      ? {}
      : { crm_event_set_id: 'Enter the ID of the CRM event set, such as 7654321098765432109' }),
    ...checkDefaults(others),
  }
}
