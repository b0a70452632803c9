// Holds PDF files against PDF/A-1a with Apache PDFBox, which knows no later part, for tests: prints one line a file, `valid` or
// its errors. PDF/A-2 has the same rules for what is in our files, but for three that are left out here.

import java.io.File;
import java.util.stream.Collectors;
import org.apache.pdfbox.preflight.Format;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.parser.PreflightParser;

public class Preflight {
  /** The table of objects may be a stream, a subset needs no list of its glyphs, and the part is 2. */
  private static boolean isOfPart1Alone(ValidationResult.ValidationError error) {
    String details = error.getDetails();
    return details.endsWith("/XRef cross reference streams are not allowed")
        || details.endsWith("The CIDSet entry is missing for the Composite Subset")
        || details.endsWith("part must be 1");
  }

  public static void main(String[] files) throws Exception {
    for (String file : files) {
      PreflightParser parser = new PreflightParser(new File(file));
      parser.parse(Format.PDF_A1A);
      try (PreflightDocument document = parser.getPreflightDocument()) {
        document.validate();
        String errors = document.getResult().getErrorsList().stream()
            .filter(error -> !isOfPart1Alone(error))
            .map(error -> error.getErrorCode() + " " + error.getDetails())
            .collect(Collectors.joining("; "));
        System.out.println(errors.isEmpty() ? "valid" : errors);
      }
    }
  }
}
