import { addressOf } from './texts.ts'

/**
 * Normalization by Microsoft's rules: "Conversions API (CAPI) Guide" of Microsoft Advertising, as walkerOS has them. The
 * name before the `@` ends at its first plus sign, and has no dots.
 */
export const microsoftNormalization = {
  email: (text: string): string => {
    const [name = '', domain = ''] = addressOf(text).split('@')
    const [person = ''] = name.split('+', 1)
    const plain = person.replaceAll('.', '')
    return plain === '' ? '' : `${plain}@${domain}`
  },
}
