import { addressOf } from './texts.ts'

/**
 * Normalization by Reddit's rules: "Manual Advanced Matching" of the Reddit Pixel. The name before the `@` ends at its
 * first plus sign, and has letters and digits only.
 */
export const redditNormalization = {
  email: (text: string): string => {
    const [name = '', domain = ''] = addressOf(text).split('@')
    const [person = ''] = name.split('+', 1)
    const plain = person.replaceAll(/[^a-z0-9]/g, '')
    return plain === '' ? '' : `${plain}@${domain}`
  },
}
