/** Runs the command line and gives its exit status. */
export async function main(_args: readonly string[]): Promise<number> {
  return 0;
}
