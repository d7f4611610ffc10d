/** The part of a cell that is filled, from one eighth to all of it. */
const eighths = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'] as const;

export interface Bar {
  readonly filled: string;
  readonly empty: string;
}

/**
 * A bar of `width` characters. It is full only for a share of 1 and empty only for one of 0, so that
 * neither the last that is left nor the first that is gone is rounded away.
 *
 * @param share from 0 to 1
 */
export function barOf(share: number, width: number): Bar {
  const steps = width * 8;
  const rounded = Math.round(share * steps);
  const filledSteps =
    share <= 0 ? 0 : share >= 1 ? steps : Math.min(steps - 1, Math.max(1, rounded));
  const full = Math.floor(filledSteps / 8);
  const filled = '█'.repeat(full) + (eighths[(filledSteps % 8) - 1] ?? '');
  return { filled, empty: '░'.repeat(width - filled.length) };
}
