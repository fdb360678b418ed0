import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mailColours } from '../../../api-kit/src/mail/layout.ts'
import {
  alreadyRegisteredMail,
  invitationMail,
  loginCodeMail,
  type Mail,
  onboardingMail,
  passwordChangedMail,
  planUsageMail,
  signUpCodeMail,
  syncAlertMail,
} from '../../../api-kit/src/mail/templates.ts'

const origin = 'https://cdp.example.com'
const code = 'ABC-DEF-GHJ-KLM'
const expireTime = new Date('2026-03-11T05:06:07Z')
const evil = '<script>alert(1)</script>"\'&\r\nBcc: victim@example.com\u202e'

const mails = (text: string): Mail[] => [
  loginCodeMail({ code, email: text, origin }),
  signUpCodeMail({ code, email: text, origin }),
  alreadyRegisteredMail({ code, email: text, origin }),
  invitationMail({
    inviter: text,
    organization: text,
    role: 'ORG_GUEST',
    url: `${origin}/${encodeURIComponent(text)}`,
    expireTime,
  }),
  passwordChangedMail({ email: text, origin, time: expireTime, first: false }),
  syncAlertMail({ sync: text, what: 'has recovered', body: text, url: `${origin}/${encodeURIComponent(text)}` }),
  planUsageMail({ organization: text, title: text, body: text, url: `${origin}/${encodeURIComponent(text)}` }),
  onboardingMail({ firstName: text, organization: text, url: `${origin}/${encodeURIComponent(text)}`, expireTime }),
]

describe('every mail', () => {
  test.each(mails(evil).map((mail) => [mail.kind, mail] as const))(
    'the mail %s shows texts that users typed as plain text',
    (_, mail) => {
      expect(mail.html).not.toMatch(/<script/i)
      expect(mail.html).toMatch(/&lt;script&gt;|%3Cscript%3E/)
      expect(mail.subject).not.toMatch(/[\p{Cc}\u202e]/u)
      // One line breaks none of the header's lines.
      expect(mail.subject.split('\n')).toHaveLength(1)
    },
  )

  test.each(mails('Ada').map((mail) => [mail.kind, mail] as const))(
    'the mail %s loads no remote resource',
    (_, mail) => {
      expect(mail.html).not.toMatch(/<(img|link|script|iframe|form)\b|url\(|@import/i)
      for (const [, url] of mail.html.matchAll(/href="([^"]*)"/g)) expect(url).toMatch(/^https:\/\/cdp\.example\.com\//)
      expect(mail.text).not.toMatch(/<\w+|undefined|null|NaN/)
    },
  )
})

test('an invitation mail names the inviter, organization, role, and expiry, and links to the page for accepting it', () => {
  const url = `${origin}/invitations/1?token=t&x=1`
  const mail = invitationMail({
    inviter: 'Ada Lovelace',
    organization: 'Acme',
    role: 'ORG_COLLABORATOR',
    url,
    expireTime,
  })
  expect(mail.subject).toBe('Ada Lovelace invites you to join Acme on Tributary')
  expect(mail.text).toContain('as Collaborator')
  expect(mail.text).toContain('11 March 2026 at 05:06 UTC')
  expect(mail.text).toContain(`Accept invitation:\n${url}\n`)
  expect(mail.html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
})

test('a name of any length takes at most 60 characters of an invitation mail', () => {
  const long = 'Urgent: verify your account '.repeat(8)
  const given = { role: 'ORG_GUEST', url: `${origin}/invitations/1`, expireTime } as const
  const mail = invitationMail({ ...given, inviter: long, organization: long })
  expect(mail.subject.length).toBeLessThan(160)
  expect(mail.text.match(/Urgent/g)?.length).toBeLessThanOrEqual(12)
})

/** Texts that mail programs turn into links: a scheme, or a name with a dot followed by letters. */
const linkable = /[a-z][a-z0-9+.-]*:\/\/|\b(?:mailto|javascript):|[\p{L}\p{N}-]\.[\p{L}]{2,}/iu

test.each([
  ['Win a prize at https://evil.example/login now', 'Win a prize at evil·example/login now'],
  ['www.evil.example', 'www·evil·example'],
  ['evil.example/path?x=1', 'evil·example/path?x=1'],
  ['HTTPS:\\\\evil.example', 'evil·example'],
  ['javascript:alert(1)', 'alert(1)'],
  ['evil。example', 'evil·example'],
  ['evil．example', 'evil·example'],
  ['xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd·xn--p1ai'],
  ['http://10.0.0.1/x', '10.0.0.1/x'],
  ['Acme, Inc. and Sons', 'Acme, Inc. and Sons'],
  ['Acme 2.0', 'Acme 2.0'],
  ['A/B Testing: R&D', 'A/B Testing: R&D'],
])('a user-chosen name in a mail is never a link: %s', (name, shown) => {
  const time = new Date('2026-01-02T03:04:05Z')
  const invitation = invitationMail({
    inviter: name,
    organization: name,
    role: 'ORG_ADMIN',
    url: 'https://cdp.local/i',
    expireTime: time,
  })
  const onboarding = onboardingMail({
    firstName: name,
    organization: name,
    url: 'https://cdp.local/i',
    expireTime: time,
  })
  for (const { subject, text } of [invitation, onboarding]) {
    expect(subject).toContain(shown)
    expect(text).toContain(shown)
    expect(`${subject} ${text.replaceAll('https://cdp.local/i', '')}`).not.toMatch(linkable)
  }
})

/** The color that `oklch(lightness chroma hue)` is on a screen, by CSS Color 4 (§ 20.3, OKLab to sRGB). */
const ofOklch = (lightness: number, chroma: number, hue: number): string => {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return `#${[
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
    .map((linear) => {
      const part = Math.min(1, Math.max(0, linear))
      const shown = part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055
      return Math.round(shown * 255)
        .toString(16)
        .padStart(2, '0')
    })
    .join('')}`
}

test('the button of a mail has the same blue as the web application', () => {
  const theme = readFileSync(new URL('../../../../apps/web/src/ui/theme.css', import.meta.url), 'utf8')
  const [, ...parts] = /--color-accent: light-dark\(oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/.exec(theme) ?? []
  const [lightness = 0, chroma = 0, hue = 0] = parts.map(Number)
  expect(mailColours.light.accent).toBe(ofOklch(lightness, chroma, hue))
  expect(
    invitationMail({ inviter: 'A', organization: 'B', role: 'ORG_GUEST', url: origin, expireTime }).html,
  ).toContain(`background:${mailColours.light.accent};color:#ffffff`)
})

/** The contrast of two colors (WCAG 2.2, relative luminance). */
const contrast = (one: string, other: string): number => {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

test.each(['light', 'dark'] as const)('every text of a mail is legible on its background in %s', (theme) => {
  const { accent, accentText, page, card, ink, quiet, code } = mailColours[theme]
  const pairs = [
    [ink, card],
    [quiet, card],
    [ink, code],
    [accentText, page],
    ['#ffffff', accent],
  ] as const
  for (const [text, background] of pairs) expect(contrast(text, background)).toBeGreaterThanOrEqual(4.5)
})

test('the plain text of a mail contains everything that its HTML contains', () => {
  for (const { html, text, subject } of mails('Ada')) {
    const shown = html
      .replace(/<(style|title)>.*?<\/\1>/g, '')
      .split(/<[^>]+>/)
      .map((part) => part.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"'))
      .filter((part) => part.trim() !== '' && part !== subject)
    for (const part of shown) expect(text).toContain(part)
  }
})
