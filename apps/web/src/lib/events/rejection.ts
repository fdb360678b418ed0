/**
 * Splits a reason of the API, `<code>: <what to fix>`, into its two parts. For text of any other form, the code is ''
 * and the advice is the text.
 */
export const rejectionOf = (reason: string): { code: string; advice: string } => {
  const [, code, advice] = /^([a-z][a-z0-9_]*): (.+)$/s.exec(reason) ?? []
  if (code === undefined || advice === undefined)
    return { code: '', advice: reason === '' ? 'No reason was given.' : reason }
  return { code, advice }
}
