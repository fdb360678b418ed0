import { expect, test } from 'vitest'
import { isPublicMailDomain, mailDomain } from './mail-domains.ts'

test('the domain of an address is the text after its last @, in lower case', () => {
  expect(['a@Example.COM', '"a@b"@example.com'].map(mailDomain)).toEqual(['example.com', 'example.com'])
})

test('common mail providers are recognized, and domains of organizations are not', () => {
  expect(['gmail.com', 'GMX.de', 'outlook.com', 'proton.me'].map(isPublicMailDomain)).toEqual([true, true, true, true])
  expect(['', 'example.com', 'mail.example.com', 'gmail.com.example.com'].some(isPublicMailDomain)).toBe(false)
})
