/**
 * Starts something with several parts. If a step fails, the started parts are stopped again in reverse order, and the
 * error is thrown.
 */
export const assembled = async <Whole>(assemble: (stack: AsyncDisposableStack) => Promise<Whole>): Promise<Whole> => {
  const stack = new AsyncDisposableStack()
  try {
    return await assemble(stack)
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}
