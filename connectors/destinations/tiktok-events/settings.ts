import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { withoutConsent } from '../../wire/conversions/consent-setting.ts'

export const settings = defineSettings({
  pixel_code: setting.text({
    label: 'Pixel ID',
    help: 'Of the data connection in the Events Manager.',
    required: true,
    maxLength: 50,
  }),
  access_token: setting.secret({
    label: 'Access token',
    help: 'Generated in the settings of the pixel, under Events API. Stored encrypted.',
    required: true,
    // It is sent to business-api.tiktok.com, whatever the settings.
    sentTo: [],
  }),
  test_event_code: setting.text({
    label: 'Test event code',
    help: 'From Test events in the Events Manager. With it, nothing counts: remove it when you are done.',
    maxLength: 50,
  }),
  without_consent: withoutConsent,
  limited_data_use: setting.toggle({
    label: 'Limited data use',
    help: 'Has TikTok limit how it uses data of people in US states that ask for it.',
    default: false,
  }),
})

export type TikTokSettings = SettingsOf<typeof settings>

/** The rules that span several settings. */
export const check = ({ pixel_code }: Partial<TikTokSettings>): Record<string, string> =>
  pixel_code === undefined || /^[A-Za-z0-9]{5,40}$/.test(pixel_code.trim())
    ? {}
    : { pixel_code: 'Enter the ID of the pixel, such as C0123ABCD4567EFGH890' }
