import type { Template, TemplateObject } from './template.ts'

const version: TemplateObject = {
  version: ['string', 'required', 'Version of the app.'],
  build: ['string', 'recommended', 'Build of the app.'],
}

const push: TemplateObject = {
  campaign: ['object', 'recommended', 'Its name, medium, source and content.'],
  action: ['string', 'optional', 'What was tapped.'],
}

/** The events that libraries for mobile apps send automatically. */
export const appLifecycle: Template['events'] = {
  'Application Installed': version,
  'Application Opened': {
    ...version,
    from_background: ['boolean', 'recommended', 'Whether it was open already.'],
    url: ['string', 'optional', 'Address that opened it.'],
    referring_application: ['string', 'optional', 'App that opened it.'],
  },
  'Application Updated': {
    ...version,
    previous_version: ['string', 'recommended', 'Version before.'],
    previous_build: ['string', 'optional', 'Build before.'],
  },
  'Application Backgrounded': {},
  'Application Crashed': {
    version: ['string', 'optional', 'Version of the app.'],
    build: ['string', 'optional', 'Build of the app.'],
  },
  'Application Uninstalled': {},
  'Install Attributed': {
    provider: ['string', 'required', 'Who attributed it.'],
    campaign: ['object', 'recommended', 'Its source, name, content, ad_creative and ad_group.'],
  },
  'Push Notification Received': push,
  'Push Notification Tapped': push,
  'Push Notification Bounced': push,
  'Deep Link Clicked': {
    provider: ['string', 'optional', 'Service that made the link.'],
    url: ['string', 'required', 'The link.'],
  },
  'Deep Link Opened': {
    provider: ['string', 'optional', 'Service that made the link.'],
    url: ['string', 'required', 'The link.'],
  },
}
