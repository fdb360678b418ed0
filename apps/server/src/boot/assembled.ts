/** Starts a whole of several parts. If a step fails, stops the started parts in reverse order and throws the error. */
export const assembled = async <Whole>(assemble: (stack: AsyncDisposableStack) => Promise<Whole>): Promise<Whole> => {
  const stack = new AsyncDisposableStack()
  try {
    return await assemble(stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
