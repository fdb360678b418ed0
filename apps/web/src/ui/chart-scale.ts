/** The smallest round number that is not below `max` and whose half is whole: 2, 4, 6, 8, 10, 20, 40 … */
export const scaleTop = (max: number): number => {
  if (max <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(max))
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * power >= max && (each * power) % 2 === 0)
  return (step ?? 20) * power
}

/** Which of `count` places of an axis are named: about six, the first one always. */
export const namedPlaces = (count: number): number[] => {
  const step = count <= 7 ? 1 : Math.ceil(count / 6)
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}
