import UFuzzy from '@leeoniya/ufuzzy'

type Searched = { title: string; description: string; categories: readonly string[]; abilities?: readonly string[] }

/** Allows one wrong, missing, additional, or exchanged letter in each word. */
const forgiving = new UFuzzy({ intraMode: 1, intraIns: 1, intraSub: 1, intraTrn: 1, intraDel: 1 })

/** A longer search is looked up as it is, because a forgiving one costs more with each letter. */
const maxForgiven = 40

const textOf = ({ title, categories, abilities = [], description }: Searched): string =>
  [title, ...categories, ...abilities, description].join(' ').toLowerCase()

/**
 * Returns the cards that have all words of a search in their texts. Those with a word in their title come first. If there
 * are none, returns the cards whose title or category has the words with a typing error.
 */
export const searchCards = <Card extends Searched>(cards: readonly Card[], search: string): readonly Card[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return cards
  const found = cards.filter((card) => words.every((word) => textOf(card).includes(word)))
  const named = found.filter(({ title }) => words.some((word) => title.toLowerCase().includes(word)))
  const text = words.join(' ')
  if (found.length > 0 || text.length > maxForgiven) return [...named, ...found.filter((card) => !named.includes(card))]
  const names = cards.map(({ title, categories }) => `${title} ${categories.join(' ')}`)
  const indexes = forgiving.filter(names, text) ?? []
  return indexes.flatMap((index) => cards[index] ?? [])
}
