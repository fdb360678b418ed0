import { type Role, roleTitles } from '@tributary/kernel'
import { layOut, oneLine, shortName } from './layout.ts'

/** A mail without its recipient: the result of a template, and the input of `queueMail`. */
export type Mail = { kind: string; subject: string; text: string; html: string }

const codeNote = 'This code works once and expires in 10 minutes. No one at Tributary will ever ask you for it.'
const unaskedNote = "If you didn't request this, you can ignore this email. No one can sign in without the code."

/** Returns a URL of the web application. `origin` is the public URL of the product. */
const pageUrl = (origin: string, path: string, query: Readonly<Record<string, string>> = {}): string => {
  const search = new URLSearchParams(query).toString()
  return `${origin}${path}${search === '' ? '' : `?${search}`}`
}

/**
 * Returns the URL of the sign-in page with the code filled in. The user must submit the page, so that a program that
 * only opens the link does not use up the code.
 */
const loginUrl = ({ origin, email, code }: { origin: string; email: string; code: string }): string =>
  pageUrl(origin, '/auth/login', { method: 'otp', email, otp: code })

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })
const utc = (time: Date): string => `${timeFormat.format(time)} UTC`

/** Returns the mail with a code to sign in. */
export const loginCodeMail = (given: { code: string; email: string; origin: string }): Mail => ({
  kind: 'login-code',
  ...layOut({
    subject: 'Your one-time passcode',
    paragraphs: [`Use this one-time passcode to sign in to Tributary as ${given.email}:`],
    code: given.code,
    action: { label: 'Open the sign-in page', url: loginUrl(given) },
    notes: [codeNote, unaskedNote],
  }),
})

/** Returns the mail with a code to sign up, and a link that fills the code in. */
export const signUpCodeMail = (given: { code: string; email: string; origin: string }): Mail => ({
  kind: 'sign-up-code',
  ...layOut({
    subject: 'Verify your email to sign up',
    paragraphs: ['Welcome to Tributary! Enter this verification code to create your account:'],
    code: given.code,
    action: {
      label: 'Verify my email',
      url: pageUrl(given.origin, '/auth/register', { email: given.email, otp: given.code }),
    },
    notes: [codeNote, "If you didn't request this, you can ignore this email. No account is created without the code."],
  }),
})

/**
 * Returns the mail for a registered address that requested to sign up: it says that an account exists, and offers a
 * code to sign in.
 */
export const alreadyRegisteredMail = (given: { code: string; email: string; origin: string }): Mail => ({
  kind: 'already-registered',
  ...layOut({
    subject: 'You already have an account',
    paragraphs: [
      `Someone tried to sign up for Tributary as ${given.email}, but this address already has an account.`,
      'Use this one-time passcode to sign in instead:',
    ],
    code: given.code,
    action: { label: 'Open the sign-in page', url: loginUrl(given) },
    notes: [codeNote, unaskedNote],
  }),
})

/** Returns the mail with an invitation to an organization. `url` is the page that accepts the invitation. */
export const invitationMail = (given: {
  /** Name or address of the user who sent the invitation. */
  inviter: string
  organization: string
  role: Role
  url: string
  expireTime: Date
}): Mail => {
  const [inviter, organization] = [shortName(given.inviter), shortName(given.organization)]
  return {
    kind: 'invitation',
    ...layOut({
      subject: `${inviter} invites you to join ${organization} on Tributary`,
      paragraphs: [`${inviter} invites you to join the organization ${organization} as ${roleTitles[given.role]}.`],
      action: { label: 'Accept invitation', url: given.url },
      notes: [
        `This invitation expires on ${utc(given.expireTime)}.`,
        "If you don't know the sender, you can ignore this email. You only join if you accept.",
      ],
    }),
  }
}

/** Returns the mail about a password that was set or changed, with advice if the user did not do this. */
export const passwordChangedMail = (given: { email: string; origin: string; time: Date; first: boolean }): Mail => ({
  kind: 'password-changed',
  ...layOut({
    subject: given.first ? 'Your password was set' : 'Your password was changed',
    paragraphs: [
      `The password for your Tributary account ${given.email} was ${given.first ? 'set' : 'changed'} on ${utc(given.time)}.`,
      'You were signed out of all other sessions.',
    ],
    notes: [`If this wasn't you, reset your password now: ${pageUrl(given.origin, '/auth/forgot-password')}`],
  }),
})

/** Returns the mail about a sign-in from a network and with a browser that the account has not used before. */
export const newPlaceMail = (given: {
  email: string
  origin: string
  time: Date
  browser: string
  ip: string
}): Mail => ({
  kind: 'new-place',
  ...layOut({
    subject: 'New sign-in to your account',
    paragraphs: [
      `Your Tributary account ${given.email} was signed in to from a new place on ${utc(given.time)}.`,
      `Browser: ${oneLine(given.browser)}. IP address: ${oneLine(given.ip)}.`,
    ],
    notes: [
      'If this was you, you can ignore this email.',
      `If this wasn't you, reset your password now: ${pageUrl(given.origin, '/auth/forgot-password')}`,
    ],
  }),
})

/** Returns the mail with the link by which the first administrator of a new organization sets up the account. */
export const onboardingMail = (given: {
  firstName: string
  organization: string
  url: string
  expireTime: Date
}): Mail => {
  const organization = shortName(given.organization)
  return {
    kind: 'onboarding',
    ...layOut({
      subject: `Welcome to Tributary: set up ${organization}`,
      paragraphs: [
        `Hello ${shortName(given.firstName)},`,
        `Your organization ${organization} is ready. Choose a password to join it as its administrator.`,
      ],
      action: { label: 'Set up my account', url: given.url },
      notes: [`This link works once and expires on ${utc(given.expireTime)}.`],
    }),
  }
}

/** Returns an email about a sync. Its title is the message, such as 'needs attention' or 'has recovered'. */
export const syncAlertMail = (given: { sync: string; what: string; body: string; url: string }): Mail => {
  const sync = shortName(given.sync)
  return {
    kind: 'sync-alert',
    ...layOut({
      subject: `${sync} ${given.what}`,
      paragraphs: [`About the sync ${sync}:`, oneLine(given.body)],
      action: { label: 'Open', url: given.url },
      notes: ['You get this email as an administrator or a collaborator.'],
    }),
  }
}

/**
 * Returns an email about an organization's usage of its plan. Its title is the message, for example that a limit is
 * reached.
 */
export const planUsageMail = (given: { organization: string; title: string; body: string; url: string }): Mail => ({
  kind: 'plan-usage',
  ...layOut({
    subject: `${shortName(given.organization)}: ${given.title}`,
    paragraphs: [`About the organization ${shortName(given.organization)}:`, oneLine(given.body)],
    action: { label: 'Open billing', url: given.url },
    notes: ['You get this email as an administrator.'],
  }),
})
