import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'

export const settings = defineSettings({
  webhook_url: setting.secret({
    label: 'Webhook URL',
    help: 'The incoming webhook URL. Stored encrypted.',
    required: true,
    maxLength: 500,
    sentTo: [],
  }),
  allow_links: setting.toggle({
    label: 'Links and mentions',
    help: 'On: links such as `<https://example.com|text>` and mentions such as `<!channel>` work, including those in event values. Off: they show as plain text.',
    default: false,
  }),
})

export type SlackSettings = SettingsOf<typeof settings>

/** Checks that the URL of the webhook is the complete one that Slack shows. */
export const check = ({ webhook_url: given }: Partial<SlackSettings>): Record<string, string> => {
  const url = given === undefined ? null : URL.parse(given.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.pathname === '/')
    return { webhook_url: 'Enter the full URL that Slack shows, https://hooks.slack.com/services/…' }
  return {}
}
