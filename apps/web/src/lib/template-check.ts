import { useEffect, useState } from 'react'

/** How long (ms) typing rests before a template is parsed. */
const rest = 200

/**
 * Why a text is no template, as `Error at {context}`; undefined when it is one, and when the parser cannot be loaded: the
 * server parses it again.
 */
export const templateProblem = async (text: string): Promise<string | undefined> => {
  try {
    const { parseTemplate } = await import('./liquid-parser.ts')
    return parseTemplate(text)
  } catch {
    return undefined
  }
}

/** The problem of a template while it is written, told when typing rests; without a text there is none. */
export const useTemplateProblem = (text: string | undefined): string | undefined => {
  const [problem, setProblem] = useState<string | undefined>()
  useEffect(() => {
    if (text === undefined || text === '') return setProblem(undefined)
    let old = false
    const timer = setTimeout(() => {
      void templateProblem(text).then((found) => {
        if (!old) setProblem(found)
      })
    }, rest)
    return () => {
      old = true
      clearTimeout(timer)
    }
  }, [text])
  return problem
}
