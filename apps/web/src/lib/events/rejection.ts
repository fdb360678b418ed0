/**
 * A reason of the API, `<code>: <what to fix>`, in its two parts. Text of another form is what to fix, without a code.
 */
export const rejectionOf = (reason: string): { code: string; advice: string } => {
  const [, code, advice] = /^([a-z][a-z0-9_]*): (.+)$/s.exec(reason) ?? []
  if (code === undefined || advice === undefined)
    return { code: '', advice: reason === '' ? 'No reason was given.' : reason }
  return { code, advice }
}
