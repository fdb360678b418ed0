import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'

export const settings = defineSettings({
  pixel_id: setting.text({
    label: 'Pixel ID',
    help: 'The ID of the pixel or dataset in the Events Manager.',
    required: true,
    maxLength: 50,
  }),
  access_token: setting.secret({
    label: 'Access token',
    help: 'Generated in the settings of the pixel, under Conversions API. Stored encrypted.',
    required: true,
    // It is sent to graph.facebook.com, whatever the settings.
    sentTo: [],
  }),
  test_event_code: setting.text({
    label: 'Test event code',
    help: 'From Test events in the Events Manager. With it, nothing counts: remove it when you are done.',
    maxLength: 50,
  }),
  without_consent: withoutConsent,
  limited_data_use: setting.toggle({
    label: 'Limited Data Use',
    help: 'Has Meta limit how it uses data of people in US states that ask for it.',
    default: false,
  }),
})

export type MetaConversionsSettings = SettingsOf<typeof settings>

/** The rules that span several settings. */
export const check = ({ pixel_id }: Partial<MetaConversionsSettings>): Record<string, string> =>
  pixel_id === undefined || /^[0-9]{5,30}$/.test(pixel_id.trim())
    ? {}
    : { pixel_id: 'Enter the number of the pixel, such as 123456789012345' }
