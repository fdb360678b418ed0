import { humanise } from './format/text.ts'

/** The title of an industry in a list: "Digital marketing". */
export const industryTitle = (industry: string): string => {
  const words = industry === 'e-commerce' ? industry : humanise(industry)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
